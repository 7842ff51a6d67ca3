"""A table as CSV, workbook or PDF: the same content, and the same bytes each time it is asked."""

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from xml.sax.saxutils import escape

import xlsxwriter
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer
from reportlab.platypus import Table as Grid

from progressives.meters import cents
from progressives.services.close_report import Table

MADE = datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)  # not when: what. Same in, same out.


def text_of(value: str | Decimal) -> str:
    """Write a cell; what a spreadsheet would take for a formula is quoted."""
    if isinstance(value, Decimal):
        return cents(value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@")) else value


def as_csv(table: Table) -> bytes:
    """Return the table as CSV: its facts, an empty line, its rows."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows((name, text_of(value)) for name, value in table.facts)
    writer.writerow([])
    writer.writerow(table.header)
    writer.writerows([text_of(cell) for cell in row] for row in table.rows)
    return out.getvalue().encode()


def as_xlsx(table: Table) -> bytes:
    """Return the table as a workbook; amounts are numbers, and text is never a formula."""
    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(out, options)
    book.set_properties({"title": table.title, "created": MADE})
    bold = book.add_format({"bold": True})
    money = book.add_format({"num_format": "#,##0.00####"})
    sheet = book.add_worksheet(table.title[:31])
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, len(table.header), 16)
    for number, (name, value) in enumerate(table.facts):
        sheet.write_string(number, 0, name, bold)
        sheet.write_string(number, 1, value)
    top = len(table.facts) + 1
    for column, name in enumerate(table.header):
        sheet.write_string(top, column, name, bold)
    for number, row in enumerate(table.rows, top + 1):
        for column, cell in enumerate(row):
            if isinstance(cell, Decimal):
                sheet.write_number(number, column, float(cell), money)
            else:
                sheet.write_string(number, column, cell)
    book.close()
    return out.getvalue()


def as_pdf(table: Table) -> bytes:
    """Return the table as a PDF in landscape."""
    out = io.BytesIO()
    styles = getSampleStyleSheet()
    page = SimpleDocTemplate(
        out,
        pagesize=landscape(A4),
        title=table.title,
        invariant=1,
        author="",
        leftMargin=36,
        rightMargin=36,
        topMargin=36,
        bottomMargin=36,
    )
    facts = [
        Paragraph(f"<b>{escape(name)}:</b> {escape(value)}", styles["BodyText"])
        for name, value in table.facts
    ]
    cells = [table.header, *([text_of(cell) for cell in row] for row in table.rows)]
    grid = Grid(cells, repeatRows=1)
    grid.setStyle(
        [
            ("FONTSIZE", (0, 0), (-1, -1), 7),
            ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold"),
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.grey),
        ]
    )
    page.build([Paragraph(escape(table.title), styles["Title"]), *facts, Spacer(1, 12), grid])
    return out.getvalue()


FORMATS: dict[str, tuple[str, Callable[[Table], bytes]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx),
    "pdf": ("application/pdf", as_pdf),
}
