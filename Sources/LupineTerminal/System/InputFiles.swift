#if Terminal
  import LupineCore
  import LupineFoundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Reads the files that arguments name; a file may also be a pipe, such as that of `<(command)` in a shell.
  enum InputFiles {
    /// Returns the text of a file.
    ///
    /// - Parameter status: the exit code of a failure. Default: that for the content of a request.
    /// - Throws: `CommandFailure` if the file cannot be read, or is no UTF-8.
    static func text(_ path: String, _ status: ExitStatus = .bodyFailed) throws -> String {
      guard let text = String(validating: try bytes(path, status), as: UTF8.self) else {
        let advice = status == .bodyFailed ? "Send it with name@\(path)." : "Name a file of text."
        throw CommandFailure("\(path.debugDescription) is no text in UTF-8. \(advice)", status)
      }
      return text
    }

    /// Returns the text of a file without white space at its end.
    static func line(_ path: String, _ status: ExitStatus = .bodyFailed) throws -> String {
      withoutBlanks(try text(path, status))
    }

    /// Returns a text without white space at its end.
    static func withoutBlanks(_ text: String) -> String {
      var text = text
      while text.last?.isWhitespace == true { text.removeLast() }
      return text
    }

    /// Returns the bytes of a file.
    ///
    /// - Throws: `CommandFailure` with this exit code if the file cannot be read.
    static func bytes(_ path: String, _ status: ExitStatus) throws -> [UInt8] {
      let descriptor = try descriptor(path, status)
      defer { close(descriptor) }
      do throws(LupineError) {
        return try StandardInput.bytes(descriptor)
      } catch {
        throw CommandFailure("\(path.debugDescription): \(error.message)", status)
      }
    }

    /// Returns the content of a file, which is read while it is sent; that of a pipe or a device can be read once.
    ///
    /// - Throws: `CommandFailure` if there is no such file, or if a pipe or a device cannot be opened.
    static func body(_ path: String) throws -> RequestBody {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
        throw CommandFailure("\(path.debugDescription) is no file. Name one that exists.", .bodyFailed)
      }
      guard status.st_mode & S_IFMT != S_IFREG else { return .file(path) }
      return StandardInput.body(of: try descriptor(path, .bodyFailed))
    }

    private static func descriptor(_ path: String, _ status: ExitStatus) throws -> Int32 {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor < 0 else { return descriptor }
      let reason = String(cString: strerror(errno))
      throw CommandFailure(
        "\(path.debugDescription) cannot be read: \(reason). Name a file that exists and that you may read.", status)
    }
  }
#endif
