"""What the pages of meters and the poll of the queue are asked by their addresses."""

from audit.web.fields import Text, Whole
from audit.web.forms import Form


class LedgerForm(Form):
    """Entries before one of them, and over how many gaming days pictures are drawn."""

    before = Whole()
    days = Text()


class PollForm(Form):
    """What changed after a look, by its token."""

    after = Whole(required=True, longest=40, sentence="after must be the token of the last look.")
