/* The library of Windows 10 from which Rust programs take random bytes. Wine has it from version 9 on; Debian 12 has version 8. */

#include <windows.h>
#include <bcrypt.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
    return BCryptGenRandom(NULL, bytes, (ULONG)length, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}
