"""What the money's ledger keeps: lanes, meters, every movement, every claim and its steps."""

from progressives.models.claims import ClaimStep, CurrentTransaction, EnvyPayout, JackpotClaim
from progressives.models.close import ChipCount, CloseStep, GamingDayClose, MeterReading
from progressives.models.control import (
    ControlLeg,
    ControlRequest,
    ControlStep,
    MeterRetirement,
)
from progressives.models.lanes import Lane, LinkStatement, Progressive
from progressives.models.meters import LevelRate, Meter, MeterEntry
from progressives.models.must_hit import MustHitDraw, MustHitReveal
from progressives.models.rounds import EnvyPayment, RoundAdjustment, RoundClosing
from progressives.models.slips import PayoutSlip, SlipCounter, SlipPrint, SlipVoid
from progressives.models.snapshots import MeterSnapshot, TablePayout
from progressives.models.terms import ClaimTerms

__all__ = [
    "ChipCount",
    "ClaimStep",
    "ClaimTerms",
    "CloseStep",
    "ControlLeg",
    "ControlRequest",
    "ControlStep",
    "CurrentTransaction",
    "EnvyPayment",
    "EnvyPayout",
    "GamingDayClose",
    "JackpotClaim",
    "Lane",
    "LevelRate",
    "LinkStatement",
    "Meter",
    "MeterEntry",
    "MeterReading",
    "MeterRetirement",
    "MeterSnapshot",
    "MustHitDraw",
    "MustHitReveal",
    "PayoutSlip",
    "Progressive",
    "RoundAdjustment",
    "RoundClosing",
    "SlipCounter",
    "SlipPrint",
    "SlipVoid",
    "TablePayout",
]
