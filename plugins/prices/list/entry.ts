// An entry of a price list: a model at who serves it.

/** A model in the list. */
export interface ListEntry {
  /** Its name in the list, such as `gemini/gemini-2.5-pro`. */
  readonly id: string
  /** The provider, by the list's own name: `openai`, `gemini`, `bedrock`. */
  readonly provider: string
  /** `chat`, `embedding`, `image_generation` and others. */
  readonly mode: string
  /** Its fields but those that are null. Numbers are the text of the file, so that no digit is lost. */
  readonly fields: ReadonlyMap<string, unknown>
}
