#pragma once

// A program that links this target initializes OpenSSL before `main`, so that OpenSSL frees nothing at exit.
//
// Otherwise `exit` frees the locks and the tables of OpenSSL while other threads, such as the loop of a transport, still
// use them, and the process crashes (OPENSSL_INIT_NO_ATEXIT in the manual page of OPENSSL_init_crypto). Only the first
// call to OpenSSL in a process can prevent this.
