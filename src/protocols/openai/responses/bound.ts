// The input bound of responses: the items that the model reads, recalled ones included, and all else of the request.
import {
  boundAll,
  byType,
  each,
  encrypted,
  fields,
  IMAGE_BOUND_TOKENS,
  image,
  mediumData,
  once,
  plus,
  tools,
  unknownPart,
} from '../../input-bound.ts'
import type { JsonObject } from '../../wire/json.ts'
import { audio, file_data, fileBound } from '../bound.ts'
import { PICTURE_ITEM } from './picture-items.ts'
import { type PlacedItem, RECALLED } from './recalled.ts'

const nothing = () => 0
/** What stands between two items. */
const ITEM_TOKENS = 1

const seen = plus(IMAGE_BOUND_TOKENS, fields({ image_url: image }))

const part = byType(
  {
    input_image: seen,
    computer_screenshot: seen,
    input_audio: fields({ input_audio: audio }),
    input_file: fileBound(fields({ file_data })),
    input_text: boundAll,
    output_text: boundAll,
    text: boundAll,
    refusal: boundAll,
    reasoning_text: boundAll,
  },
  unknownPart,
)

/** Of no other type is what is encrypted only read by who issued it: compactions are ours, and may be anybody's. */
const item = once(
  byType(
    {
      reasoning: fields({ content: each(part), encrypted_content: encrypted }),
      [PICTURE_ITEM]: plus(IMAGE_BOUND_TOKENS, fields({ result: mediumData(nothing) })),
    },
    fields({ content: each(part), output: each(part) }),
  ),
)

/** All but the items. */
const rest = fields({ input: nothing, [RECALLED]: nothing, tools })

/** The most tokens of a responses request. @param items all that the model is to read */
export const requestBound = (body: JsonObject, items: readonly PlacedItem[]): number =>
  rest(body) + items.reduce((tokens, placed) => tokens + ITEM_TOKENS + item(placed.item), 0)
