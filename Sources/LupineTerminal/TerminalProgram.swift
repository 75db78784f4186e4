public import LupineCore
import LupineIDN

/// The program `lupine`.
public enum TerminalProgram {
  /// Runs the command that the arguments of the process name, and ends the process.
  ///
  /// - Parameter curl: makes the transport over libcurl; `nil` runs the program `lupine-curl` for it. Default: `nil`.
  public static func run(curl: (@Sendable () -> any Transport)? = nil) async {
    #if Terminal
      CurlProgram.use(curl)
      CurlProgram.takeOverIfNeeded()
      StandardOutput.restoreSignals()
      HostNames.use(.idna)
      await LupineCommand.runArguments()
    #else
      print("Built without its commands; build with: swift build --traits Terminal --product lupine")
    #endif
  }
}
