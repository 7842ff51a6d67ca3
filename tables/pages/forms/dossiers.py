"""What the page asks on which a round's dossier is exported."""

from audit.web.fields import Named, Text
from audit.web.forms import Form


class RequestForm(Form):
    reason = Text()
    recipient = Text()


class ButtonsForm(Form):
    """The button that was pressed: the number of the request that it names, None for the others."""

    take = Named()
    agree = Named()
    refuse = Named()
