// The input bound of messages requests: the places of media and signatures; everything else is text.

import { imageMedium, pdfMedium, UNCOUNTED } from '../../domain/media/medium.ts'
import {
  type Bound,
  boundAll,
  byType,
  cachedBound,
  each,
  encrypted,
  fields,
  mediumData,
  tools,
  unknownPart,
  withMedium,
} from '../input-bound.ts'
import { isObject, type Json, objectIn, stringIn } from '../wire/json.ts'

const mediaType = (source: Json): string | undefined => stringIn(objectIn(source).media_type)

const imageData = fields({ data: mediumData((data) => imageMedium(data)) })
const imageSource = byType(
  {
    base64: (source, media) =>
      (/^image\//i.test(mediaType(source) ?? 'image/') ? imageData : boundAll)(source, media),
  },
  withMedium({ kind: 'image' }, boundAll),
)

const PDF = 'application/pdf'
const pdf = fields({ data: mediumData(pdfMedium) })

/** Tool results and documents may contain further blocks. */
const blocks: Bound = (value, media) => eachBlock(value, media)

/** A document given as an address or an id has an unknown length. */
const documentSource = byType(
  {
    base64: (source, media) =>
      ((mediaType(source) ?? PDF) === PDF ? pdf : withMedium(UNCOUNTED, boundAll))(source, media),
    text: boundAll,
    content: fields({ content: blocks }),
  },
  withMedium(UNCOUNTED, boundAll),
)

const block = byType(
  {
    image: fields({ source: imageSource }),
    document: fields({ source: documentSource }),
    tool_result: fields({ content: blocks }),
    thinking: fields({ signature: encrypted }),
    redacted_thinking: fields({ data: encrypted }),
  },
  // Results of the provider's own tools contain documents.
  fields({ source: unknownPart, content: (value, media) => toolResult(value, media) }),
)
const toolResult: Bound = (value, media) =>
  (Array.isArray(value) ? eachBlock : isObject(value) ? block : boundAll)(value, media)

const eachBlock = each(block)

/** The most tokens of a messages request. */
export const requestBound: Bound = fields({
  messages: each(cachedBound(fields({ content: blocks }))),
  system: cachedBound(blocks),
  tools,
})
