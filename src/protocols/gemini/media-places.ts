// The places of inline media in native requests; every field has two spellings.
import {
  inFields,
  inItems,
  isImageType,
  type MediaFields,
  type MediaPlaces,
  withData,
} from '../media-places.ts'

const inline = withData(['mimeType', 'mime_type'], isImageType)

/** A function response may contain further parts. */
const response = inFields({ parts: (value, change) => parts(value, change) })
const parts: MediaPlaces = inItems(
  inFields({
    inlineData: inline,
    inline_data: inline,
    functionResponse: response,
    function_response: response,
  }),
)
const content = inFields({ parts })

export const mediaFields: MediaFields = {
  contents: content,
  systemInstruction: content,
  system_instruction: content,
}
