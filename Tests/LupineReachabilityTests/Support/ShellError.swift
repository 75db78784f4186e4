/// The failure of a program that a test runs.
struct ShellError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
