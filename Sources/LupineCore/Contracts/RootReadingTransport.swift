/// A transport that reads the files of root certificates that a session names.
package protocol RootReadingTransport: Transport {
  /// Why such a file cannot be read, as far as a look at its place tells; `nil` where nothing stands against it.
  func problem(ofRoots path: String) -> String?
}
