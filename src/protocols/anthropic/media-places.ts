// The places of inline media in messages requests.
import {
  inFields,
  inItems,
  inTypes,
  isImageType,
  type MediaFields,
  type MediaPlaces,
  withData,
} from '../media-places.ts'

const inline = withData(['media_type'], isImageType)

/** Tool results and documents may contain further blocks. */
const blocks: MediaPlaces = (value, change) => inBlocks(value, change)

const inBlocks = inItems(
  inTypes({
    image: inFields({ source: inTypes({ base64: inline }) }),
    document: inFields({ source: inTypes({ base64: inline, content: inFields({ content: blocks }) }) }),
    tool_result: inFields({ content: blocks }),
  }),
)

export const mediaFields: MediaFields = { messages: inFields({ content: blocks }) }
