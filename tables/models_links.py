"""Which further progressives a table feeds."""

from django.db import models

from progressives.models import Progressive


class TableProgressive(models.Model):
    """A further progressive that a table feeds, each time this wager is made. Written once.

    ``GamingTable.progressive`` is the one of the game's Progressive Payout Wager.
    """

    table = models.ForeignKey("tables.GamingTable", models.PROTECT, related_name="also_feeds")
    progressive = models.ForeignKey(Progressive, models.PROTECT, related_name="also_fed_by")
    wager = models.CharField(max_length=24)

    class Meta:
        ordering = ["table", "pk"]
        constraints = [
            models.UniqueConstraint(
                name="table_feeds_a_progressive_once", fields=["table", "progressive"]
            ),
        ]

    def __str__(self) -> str:
        return f"{self.table_id} {self.wager} {self.progressive_id}"
