// The input bound of chat completions: where media and signatures stand in a request; all else of it is text.
import {
  type Bound,
  boundAll,
  byType,
  each,
  encrypted,
  fields,
  IMAGE_BOUND_TOKENS,
  image,
  mediumData,
  mediumUri,
  once,
  plus,
  tools,
  unknownPart,
} from '../input-bound.ts'
import { objectIn, stringIn } from '../wire/json.ts'
import { audioTokens, fileTokens, UNSEEN_FILE_TOKENS } from './media.ts'

/** A file by its data, or one that the gateway does not see. */
export const fileBound =
  (bound: Bound): Bound =>
  (file) =>
    bound(file) + (/^data:/i.test(stringIn(objectIn(file).file_data) ?? '') ? 0 : UNSEEN_FILE_TOKENS)

export const audio = fields({ data: mediumData(audioTokens) })
export const file_data = mediumUri(fileTokens)

const addressed: Bound = (value) => (typeof value === 'string' ? image(value) : fields({ url: image })(value))

/** A part of a message that may be an image, by the name of its type and its field. */
export const part = byType(
  {
    image_url: plus(IMAGE_BOUND_TOKENS, fields({ image_url: addressed })),
    input_audio: fields({ input_audio: audio }),
    file: fields({ file: fileBound(fields({ file_data })) }),
    text: boundAll,
    refusal: boundAll,
    thinking: boundAll,
  },
  unknownPart,
)

/** Google's signature, on a tool call or a message. */
const extra_content = fields({ google: fields({ thought_signature: encrypted }) })

const message = fields({
  content: each(part),
  extra_content,
  tool_calls: each(fields({ extra_content })),
  reasoning_details: each(fields({ data: encrypted, signature: encrypted })),
})

/** The most tokens of a chat completion request. */
export const requestBound: Bound = fields({
  messages: each(once(message)),
  tools,
  functions: tools,
})
