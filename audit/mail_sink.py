"""Checkpoints by mail: whoever receives them keeps them where the house cannot reach."""

import smtplib
from email.message import EmailMessage

from audit.sink_errors import SinkError

SECONDS = 10


class MailSink:
    """One message a note; the address keeps its own order."""

    def __init__(self, to: str, via: str, sender: str) -> None:
        host, _, port = via.partition(":")
        self.to, self.host, self.port = to, host, int(port or 25)
        self.sender = sender or f"audit-log@{host}"

    def put(self, name: str, body: bytes) -> None:
        """Send a note; its JSON stays here, since a note is all that a witness needs."""
        if not name.endswith(".note"):
            return
        message = EmailMessage()
        message["From"], message["To"] = self.sender, self.to
        message["Subject"] = f"Checkpoint {name.removesuffix('.note').lstrip('0')}"
        message.set_content(body.decode())
        message.add_attachment(body, maintype="text", subtype="plain", filename=name)
        try:
            with smtplib.SMTP(self.host, self.port, timeout=SECONDS) as server:
                server.send_message(message)
        except (OSError, smtplib.SMTPException) as error:
            raise SinkError(
                f"{self.host}:{self.port} did not take the message: {error}."
            ) from error
