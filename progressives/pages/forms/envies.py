"""What the pages of Envy Bonuses ask."""

from audit.web.fields import Text
from audit.web.forms import Form


class OwedForm(Form):
    """What the list shows: of one table, or those that were ticked off (``done`` is "1")."""

    done = Text()
    table = Text()


class TickForm(Form):
    """Tick an Envy Bonus off as paid, or with a reason as not owed (``deed`` is "drop")."""

    deed = Text()
    reason = Text()
