/// Why a store could not be filled.
package struct RootsUnreadable: Error {
  package let description: String
}
