#pragma once
#include <stdbool.h>
#include <stdint.h>

// Replaces the C library's functions that change files, and those that open them, in a program that links this library,
// and so in SQLite. They behave as in the C library until a fault is armed.

typedef enum {
  /// Ends the process with SIGKILL instead of the call.
  FAULT_KILL,
  /// Ends the process with SIGKILL after half of the bytes were written, or after the call if it writes no bytes.
  FAULT_TEAR,
  /// Fails the call with an error number.
  FAULT_ERROR,
} faulty_disk_fault;

/// Arms a fault.
///
/// @param call the number of the call from now on that has the fault, 1 for the next one.
/// @param opens whether calls that open files count, instead of calls that change them.
/// @param lasting whether all later calls have the fault as well.
void faulty_disk_arm(faulty_disk_fault fault, int32_t call, int32_t error, bool opens, bool lasting);

/// Disarms the fault; returns whether it has happened.
bool faulty_disk_disarm(void);

/// The name of the function that had the fault first since a fault was armed; NULL if none had it.
const char *faulty_disk_failed_function(void);

/// The number of flushes so far.
int32_t faulty_disk_flushes(void);

/// Fails every later `flock` with an error number, as a file system without locks does; 0 ends that.
void faulty_disk_refuse_locks(int32_t error);

/// Fails every later opening of a file without a name with an error number, as a file system without such files does; 0
/// ends that.
void faulty_disk_refuse_unnamed(int32_t error);
