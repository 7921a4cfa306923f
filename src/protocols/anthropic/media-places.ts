// Where messages requests hold media inline.
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

/** Blocks are in blocks: in the results of tools, and in documents that are made of them. */
const blocks: MediaPlaces = (value, change) => inBlocks(value, change)

const inBlocks = inItems(
  inTypes({
    image: inFields({ source: inTypes({ base64: inline }) }),
    document: inFields({ source: inTypes({ base64: inline, content: inFields({ content: blocks }) }) }),
    tool_result: inFields({ content: blocks }),
  }),
)

export const mediaFields: MediaFields = { messages: inFields({ content: blocks }) }
