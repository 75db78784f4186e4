/// The kernel's tables that a monitor reads.
enum KernelTable: CaseIterable, Hashable {
  case links
  case addresses
  case routes
}
