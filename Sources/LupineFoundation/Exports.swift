// `Data`, `Date`, `URL` and the coders. Darwin has them in Foundation alone; elsewhere FoundationEssentials has them,
// and a program does not load all of Foundation.
#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
