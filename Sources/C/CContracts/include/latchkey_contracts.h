#ifndef LATCHKEY_CONTRACTS_H
#define LATCHKEY_CONTRACTS_H

/// Calls every function in the section `latchkey_contracts`.
void latchkey_register_contracts(void);

#endif
