/* xlsx_library: libxlsxwriter, loaded when the first workbook is begun. It stands on a library of
 * ciphers whose thousands of symbols would otherwise be bound at every start of the program, a
 * quarter of the time in which a warehouse is opened.
 *
 *     xlsx_library_load(error); ... lxw.workbook_new_opt(...) ...
 */
#pragma once

#include "src/base/error.h"

#include <xlsxwriter.h>

/* The functions that are called. */
/* clang-format off */
#define XLSX_FUNCTIONS(X) \
    X(workbook_add_chart) X(workbook_add_format) X(workbook_add_worksheet) X(workbook_close) \
    X(workbook_new_opt) X(workbook_set_custom_property_string) X(workbook_set_properties) \
    X(worksheet_autofilter) X(worksheet_conditional_format_range) X(worksheet_fit_to_pages) \
    X(worksheet_freeze_panes) X(worksheet_ignore_errors) X(worksheet_insert_chart_opt) \
    X(worksheet_repeat_rows) X(worksheet_set_column) \
    X(worksheet_set_column_opt) X(worksheet_set_landscape) X(worksheet_set_row) \
    X(worksheet_write_boolean) X(worksheet_write_comment_opt) X(worksheet_write_number) \
    X(worksheet_write_string) X(worksheet_write_url_opt) X(format_set_align) X(format_set_bg_color) \
    X(format_set_bold) X(format_set_border) X(format_set_border_color) X(format_set_font_color) \
    X(format_set_indent) X(format_set_num_format) X(format_set_text_wrap) X(format_set_underline) \
    X(chart_add_series) X(chart_axis_major_gridlines_set_line) \
    X(chart_axis_major_gridlines_set_visible) X(chart_axis_set_crossing_max) \
    X(chart_axis_set_interval_tick) X(chart_axis_set_interval_unit) X(chart_axis_set_label_position) \
    X(chart_axis_set_log_base) X(chart_axis_set_max) X(chart_axis_set_min) X(chart_axis_set_name) \
    X(chart_axis_set_name_font) X(chart_axis_set_num_font) X(chart_axis_set_num_format) \
    X(chart_axis_set_reverse) X(chart_legend_delete_series) X(chart_legend_set_position) \
    X(chart_series_set_fill) X(chart_series_set_labels_options) \
    X(chart_series_set_labels_percentage) X(chart_series_set_line) X(chart_series_set_marker_fill) \
    X(chart_series_set_marker_line) X(chart_series_set_marker_size) X(chart_series_set_marker_type) \
    X(chart_series_set_name) X(chart_show_hidden_data) X(chart_title_set_name) \
    X(chart_title_set_name_font) X(lxw_col_to_name) X(lxw_strerror) X(lxw_workbook_free)
/* clang-format on */

#define XLSX_POINTER(name) __typeof__(name) *name;
struct xlsx_library {
    XLSX_FUNCTIONS(XLSX_POINTER)
};
#undef XLSX_POINTER

extern struct xlsx_library lxw; /* all NULL until it is loaded */

/* Does nothing the second time; not for two threads at once. */
bool xlsx_library_load(struct error *error);
