// The input bound of messages requests: where media and signatures stand in a request; all else of it is text.
import {
  type Bound,
  boundAll,
  byType,
  each,
  encrypted,
  fields,
  IMAGE_BOUND_TOKENS,
  mediumData,
  once,
  plus,
  tools,
  unknownPart,
} from '../input-bound.ts'
import { type Json, objectIn, stringIn } from '../wire/json.ts'
import { documentDataTokens, UNSEEN_DOCUMENT_TOKENS } from './documents.ts'

const mediaType = (source: Json): string | undefined => stringIn(objectIn(source).media_type)

const imageData = fields({ data: mediumData(() => 0) })
const imageSource = byType({
  base64: (source) => (/^image\//i.test(mediaType(source) ?? 'image/') ? imageData : boundAll)(source),
})

const PDF = 'application/pdf'
const pdf = fields({ data: mediumData(documentDataTokens) })

/** Blocks are in blocks: in the results of tools, and in documents that are made of them. */
const blocks: Bound = (value) => eachBlock(value)

const documentSource = byType(
  {
    base64: (source) => ((mediaType(source) ?? PDF) === PDF ? pdf : boundAll)(source),
    text: boundAll,
    content: fields({ content: blocks }),
  },
  plus(UNSEEN_DOCUMENT_TOKENS, boundAll),
)

const block = byType(
  {
    image: plus(IMAGE_BOUND_TOKENS, fields({ source: imageSource })),
    document: fields({ source: documentSource }),
    tool_result: fields({ content: blocks }),
    thinking: fields({ signature: encrypted }),
    redacted_thinking: fields({ data: encrypted }),
  },
  fields({ source: unknownPart }),
)

const eachBlock = each(block)

/** The most tokens of a messages request. */
export const requestBound: Bound = fields({
  messages: each(once(fields({ content: blocks }))),
  system: once(blocks),
  tools,
})
