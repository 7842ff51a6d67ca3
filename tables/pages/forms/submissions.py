"""What the pages of rules submissions ask: a proposal, the decision on it, what to compare."""

from typing import Any

from audit.web.fields import Day, Key, Pressed, Several, Text, Whole
from audit.web.forms import Form
from tables.rules.choices import choices_of
from tables.rules.paytables import GameDefinition

EFFECTIVE = "Say from which gaming day on the rules are to hold."


class StartForm(Form):
    """Which game is proposed for, and from which submission the proposal starts."""

    game = Text()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["from"] = Whole()


class ChoicesForm(Form):
    """The choices of a game, each in a field of its name, or all of them as JSON."""

    document = Text()
    sample = Text()

    def __init__(self, *args: Any, definition: GameDefinition, **options: Any) -> None:
        super().__init__(*args, **options)
        for choice in choices_of(definition):
            self.fields[choice.name] = Several(Text()) if choice.widget == "many" else Text()


class ProposalForm(Form):
    """What a proposal says beside its choices."""

    version = Text()
    effective = Day(required=True, sentence=EFFECTIVE)
    reason = Text()


class DecisionForm(Form):
    """Approve or refuse, by the button."""

    approve = Pressed()
    refuse = Pressed()
    remark = Text()


class ComparisonForm(Form):
    """The two submissions that are laid side by side."""

    a = Key()
    b = Key()
