#ifndef LATCHKEY_DASHBOARD_H
#define LATCHKEY_DASHBOARD_H

#include <stddef.h>

/// A file of the dashboard, `Emulator/Dashboard/Pages`.
struct latchkey_page {
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t count;
};

/// All files, and their number. They are never freed.
const struct latchkey_page *_Nonnull latchkey_dashboard(size_t *_Nonnull count);

#endif
