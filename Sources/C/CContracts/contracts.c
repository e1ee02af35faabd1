#include "latchkey_contracts.h"

typedef void registration(void);

// The linker puts the entries of all object files into one section and defines these two symbols
// for it, as for every section whose name is an identifier in C.
extern registration *const __start_latchkey_contracts[] __attribute__((visibility("hidden")));
extern registration *const __stop_latchkey_contracts[] __attribute__((visibility("hidden")));

void latchkey_register_contracts(void)
{
    for (registration *const *entry = __start_latchkey_contracts;
         entry != __stop_latchkey_contracts; entry++)
        (*entry)();
}
