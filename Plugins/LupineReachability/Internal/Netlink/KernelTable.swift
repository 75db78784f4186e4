/// The tables of the kernel that are listened to.
enum KernelTable: CaseIterable, Hashable {
  case links
  case addresses
  case routes
}
