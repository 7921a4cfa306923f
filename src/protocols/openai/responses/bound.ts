// The input bound of responses: the items that the model reads, recalled ones included, and the rest of the request.

import { imageMedium } from '../../../domain/media/medium.ts'
import {
  boundAll,
  byType,
  cachedBound,
  each,
  encrypted,
  type FoundMedia,
  fields,
  image,
  mediumData,
  toolsWith,
  unknownPart,
} from '../../input-bound.ts'
import type { JsonObject } from '../../wire/json.ts'
import { audio, file } from '../bound.ts'
import { IMAGE_ITEM } from './image-items.ts'
import { type PlacedItem, RECALLED } from './recalled.ts'

const nothing = () => 0
/** Between two items. */
const ITEM_TOKENS = 1

const imageUrl = image('image_url')

const part = byType(
  {
    input_image: imageUrl,
    computer_screenshot: imageUrl,
    input_audio: fields({ input_audio: audio }),
    input_file: file,
    input_text: boundAll,
    output_text: boundAll,
    text: boundAll,
    refusal: boundAll,
    reasoning_text: boundAll,
  },
  unknownPart,
)

/** Encrypted content only counts as such in reasoning. A compaction may be the gateway's own, which every model reads. */
const item = cachedBound(
  byType(
    {
      reasoning: fields({ content: each(part), encrypted_content: encrypted }),
      [IMAGE_ITEM]: fields({ result: mediumData((data) => imageMedium(data)) }),
    },
    fields({ content: each(part), output: each(part) }),
  ),
)

/** All fields except the items. */
const rest = fields({
  input: nothing,
  [RECALLED]: nothing,
  tools: toolsWith({ input_image_mask: image('image_url') }),
})

/** The most tokens of a responses request. @param items all items that the model reads */
export const requestBound = (body: JsonObject, items: readonly PlacedItem[], media: FoundMedia): number =>
  rest(body, media) + items.reduce((tokens, placed) => tokens + ITEM_TOKENS + item(placed.item, media), 0)
