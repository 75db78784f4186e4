/// Why a text is no valid URL template.
struct TemplateFault: Error {
  let message: String
}
