// An entry of a price list: a model at one provider.

/** A model in the list. */
export interface ListEntry {
  /** Its name in the list, such as `gemini/gemini-2.5-pro`. */
  readonly id: string
  /** The provider, by the list's own name: `openai`, `gemini`, `bedrock`. */
  readonly provider: string
  /** `chat`, `embedding`, `image_generation` and others. */
  readonly mode: string
  /** Fields that are not null. Numbers are text as in the file, so that no digit is lost. */
  readonly fields: ReadonlyMap<string, unknown>
}
