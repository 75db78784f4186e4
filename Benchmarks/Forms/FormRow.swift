import LupineSession
import LupineCurl
import LupineMultipart
import Row

/// The row of Lupine that sends a form of ten files.
@main enum FormRow {
  static func main() {
    Work.run { work in
      let session = try Session.Builder().transport(.curl).build()
      try await work.measure {
        let upload = session.upload(
          multipart: { form in
            for number in 0..<10 { form.append(.file(work.path), name: "file\(number)") }
          }, to: work.url)
        _ = try await upload.validate().serializingData().value
      }
    }
  }
}
