/* program: what is in every page: its style, the program that a browser runs, and the hashes by
 * which the page allows these two and no other. embed_tool makes them of the files of this folder
 * when tpq is built. */
#pragma once

extern const char page_style[], page_style_hash[];
extern const char page_script[], page_script_hash[];
