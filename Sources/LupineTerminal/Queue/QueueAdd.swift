#if Terminal
  import ArgumentParser
  import HTTPTypes
  import LupineCore
  import LupineFoundation
  import LupineTransferQueue
  import LupineTransfers

  /// `lupine queue add`.
  struct QueueAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Adds a download or an upload, and prints its number.",
      discussion:
        "It is on the disk when the number is printed, and runs as soon as a runner or a program runs the folder.")

    enum Priority: String, CaseIterable, ExpressibleByArgument {
      case low, normal, high

      var value: TransferPriority {
        switch self {
        case .low: .low
        case .normal: .normal
        case .high: .high
        }
      }
    }

    @OptionGroup var folder: QueueFolderOption
    @Argument(help: "The URL; one without a scheme begins with http://.")
    var url: String
    @Option(help: ArgumentHelp("The file to download into.", valueName: "file"))
    var to: String?
    @Option(help: ArgumentHelp("The file to upload.", valueName: "file"))
    var upload: String?
    @Option(help: ArgumentHelp("The method of an upload.", valueName: "method"))
    var method = "POST"
    @Option(help: ArgumentHelp("The SHA-256 of the download in hexadecimal digits.", valueName: "digest"))
    var sha256: String?
    @Option(help: ArgumentHelp("A field that is no secret, such as 'Accept: text/plain'.", valueName: "field"))
    var header: [String] = []
    @Option(help: "Which transfers start first.")
    var priority = Priority.normal
    @Option(help: ArgumentHelp("The name of a profile.", valueName: "name"))
    var profile: String?
    @Option(help: ArgumentHelp("The name of a group, whose hook starts when all of it has ended.", valueName: "name"))
    var group: String?
    @Option(help: ArgumentHelp("The name of a credential's file.", valueName: "name"))
    var credential: String?
    @Flag(help: "Replaces a file that is there already.")
    var replace = false
    @Flag(help: "Stores a URL whose query has a secret.")
    var storingSecrets = false

    func validate() throws {
      guard (to == nil) != (upload == nil) else {
        throw ValidationError(
          "One of --to and --upload is needed: --to FILE downloads into a file, and --upload FILE sends one.")
      }
      guard let sha256 else { return }
      guard upload == nil else { throw ValidationError("--sha256 is for downloads alone. Remove it, or use --to.") }
      guard DownloadEntry.isSHA256(sha256) else {
        throw ValidationError("The digest of --sha256 does not have 64 hexadecimal digits.")
      }
    }

    func run() async throws {
      var transfer = try transfer()
      transfer.priority = priority.value
      transfer.profile = profile
      transfer.group = group
      transfer.credential = credential
      if storingSecrets { transfer.options = .storingSecrets }
      print(try await folder.open { [transfer] in try await $0.add(transfer) })
    }

    private func transfer() throws -> QueuedTransfer {
      let fields = try RequestHeaders(header.map { try field($0) })
      let url = try address()
      if let upload {
        guard let method = HTTPRequest.Method(method) else {
          throw CommandFailure(
            "\(method.debugDescription) is no method of HTTP. Write --method with letters, such as PUT.", .usage)
        }
        guard FileManager.default.isReadableFile(atPath: upload) else {
          throw CommandFailure(
            "\(upload.debugDescription) cannot be read. Name a file that exists and that you may read.", .fileFailed)
        }
        return .upload(file: QueueFolderOption.absolute(upload), to: url, method: method, headers: fields)
      }
      let options: DownloadDestination.Options = replace ? [.removePreviousFile] : []
      return .download(
        url, to: .file(to ?? "", options), expecting: sha256.map { .sha256($0) }, headers: fields)
    }

    /// Returns the URL with its scheme.
    private func address() throws -> String {
      let address: String
      do {
        address = try RequestLine.url(url)
      } catch {
        throw CommandFailure(
          "The URL has a user or a password, which is not stored. Write them into a credential's file, and name that with "
            + "--credential.", .usage)
      }
      // The queue refuses what is no URL.
      if !storingSecrets, let parsed = try? HTTPURL(address), SecretParameters.isInQuery(of: parsed) {
        throw CommandFailure(
          "The query of the URL has a secret, which is not stored. Leave it out, or store it with --storing-secrets.",
          .usage)
      }
      return address
    }

    private func field(_ text: String) throws -> RequestHeader {
      guard let colon = text.firstIndex(of: ":") else {
        throw CommandFailure(
          "\(text.debugDescription) is no field. Write a name, a colon and a value, such as 'Accept: text/plain'.",
          .usage)
      }
      let name = String(text[..<colon])
      guard HTTPField.Name(name).map(SecretFields.standard.contains) != true else {
        throw CommandFailure(
          "The field \(name) is secret, and is not stored. Write its value into a credential's file, and name that with "
            + "--credential.", .usage)
      }
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      return RequestHeader(name: name, value: String(value))
    }
  }
#endif
