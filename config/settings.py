"""Django settings: one file, everything that may differ between two houses read here.

``./run`` fills the environment for the embedded servers (``config.house``); where they are not
wanted, set ``DATABASE_URL`` and ``REDIS_URL``. A missing or unreadable value stops the start.
"""

import os
from datetime import timedelta
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

BASE_DIR = Path(__file__).resolve().parent.parent


class SettingsError(Exception):
    """A value in the environment is missing or cannot be read."""


def env_text(name: str, default: str | None = None) -> str:
    """Return a text from the environment; without a default it must be there."""
    value = os.environ.get(name, default)
    if not value:
        raise SettingsError(f"{name} is not set. Start through ./run, or set it yourself.")
    return value


def env_flag(name: str, default: bool) -> bool:
    """Return a switch from the environment: 1 or 0, and nothing else."""
    value = os.environ.get(name, "1" if default else "0")
    if value not in ("0", "1"):
        raise SettingsError(f"{name} must be 1 or 0, not {value!r}.")
    return value == "1"


def env_list(name: str, default: str) -> list[str]:
    """Return a comma separated list from the environment; an empty list is refused."""
    values = [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]
    if not values:
        raise SettingsError(f"{name} must name at least one value.")
    return values


DATA_DIR = Path(env_text("DATA_DIR", str(BASE_DIR / ".data")))
# The log's signer: its keys and its memory outside the database, and where checkpoints go.
SIGNER_DIR = Path(env_text("SIGNER_DIR", str(DATA_DIR / "signer")))
CHECKPOINT_KEYS = [key for key in os.environ.get("CHECKPOINT_KEYS", "").split(",") if key]
CHECKPOINT_ORIGIN = os.environ.get("CHECKPOINT_ORIGIN", "")
CHECKPOINT_SINKS = env_list("CHECKPOINT_SINKS", f"file://{DATA_DIR / 'checkpoints'}")
DEBUG = env_flag("DEBUG", default=False)
SECRET_KEY = env_text("SECRET_KEY")
# What seals secrets and names at rest: the first seals, all of them open.
SEALING_KEYS = env_list("SEALING_KEYS", SECRET_KEY)
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
HTTPS = env_flag("HTTPS", default=False)  # on where TLS ends before us: cookies are then secure
CSRF_TRUSTED_ORIGINS = env_list("TRUSTED_ORIGINS", "http://127.0.0.1,http://localhost")

# The broker only wakes the workers; REDIS_URL takes a unix socket (redis+socket:///path) or TCP.
REDIS_URL = env_text("REDIS_URL")

INSTALLED_APPS = [
    "config.admin_app.HouseAdminConfig",  # Django's admin with our own site
    "audit",  # before Django's own, so that its commands about people write to the log
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_otp",
    "axes",
    "config",
    "progressives",
    "tables",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.RefuseNulMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.reading.ReadingMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.FacilityTimeMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "config" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.down_tables",
            ],
        },
    },
]

# Database. The web process keeps a pool, since each log-in costs a SCRAM exchange; Django refuses
# a pool together with persistent connections. Workers keep one plain connection and check it.
DATABASE_POOL = env_flag("DATABASE_POOL", default=False)


def database(url: str) -> dict[str, object]:
    """Read a libpq URL (a host may be a socket folder) into Django's form."""
    parts = conninfo_to_dict(url)
    known = {name: str(parts.pop(name, "")) for name in ("dbname", "user", "password")}
    host, port = str(parts.pop("host", "")), str(parts.pop("port", ""))
    options: dict[str, object] = dict(parts)
    if DATABASE_POOL:
        options["pool"] = {"min_size": 2, "max_size": 16, "timeout": 5, "max_lifetime": 1800}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": known["dbname"],
        "USER": known["user"],
        "PASSWORD": known["password"],
        "HOST": host,
        "PORT": port,
        "CONN_MAX_AGE": 0 if DATABASE_POOL else None,
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
        "OPTIONS": options,
    }


DATABASES = {"default": database(env_text("DATABASE_URL"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# People
AUTH_USER_MODEL = "audit.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
# Who fails five times from one place waits there; the same person is let in from elsewhere, so
# that nobody is kept from the queue by somebody who types his name.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True  # log-ins are in our own log
AXES_USERNAME_CALLABLE = "config.logins.counted_name"
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address"]  # masked in its rows, as passwords are
AXES_LOCKOUT_TEMPLATE = "admin/log_in_waits.html"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
SESSION_COOKIE_AGE = 12 * 60 * 60  # a shift
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = False  # whoever ends TLS redirects
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# Words and times: UTC inside, the facility's zone only where a gaming day is computed or shown.
LANGUAGE_CODE = "en-us"
USE_I18N = False
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True  # served from the packages' own folders: no collectstatic step

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tables.auth.KeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "config.api.exception_handler",
    "COERCE_DECIMAL_TO_STRING": True,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Table-game progressives",
    "DESCRIPTION": "Round documents in; settled rounds, meters, claims and the log out.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {"ControlKindEnum": "progressives.models.control.ControlRequest.Kind"},
}

# One line a fact on standard error; the supervisor gives each process a file of its own.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "config.logs.line_formatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env_text("LOG_LEVEL", "INFO")},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
    },
}
