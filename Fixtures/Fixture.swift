/// Finds the files of the `Fixtures` folder.
public enum Fixture {
  /// The absolute path of the file at `name`, which is relative to `Fixtures` and separated by `/`.
  ///
  /// The folder is the one of the checkout this target was built from. Whether the file exists is not checked.
  public static func path(_ name: String) -> String {
    "\(folder)/\(name)"
  }

  private static let folder: String = {
    let thisFile = #filePath
    return thisFile.lastIndex(of: "/").map { String(thisFile[..<$0]) } ?? "."
  }()
}
