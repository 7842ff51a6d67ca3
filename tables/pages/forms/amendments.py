"""What the pages of amendments ask: the corrected document, and the decision on it."""

from django import forms

from audit.web.fields import Given, Pressed, Text
from audit.web.forms import Form


class ProposalForm(Form):
    """A corrected document, typed or as a file, and why."""

    document = Given()
    upload = forms.FileField(required=False, allow_empty_file=True)
    reason = Text()


class DecisionForm(Form):
    """Approve what the digest stands for, or refuse: ``approve`` is the button."""

    approve = Pressed()
    digest = Text()
    remark = Text()
