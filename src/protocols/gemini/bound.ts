// The input bound of native requests: where media and signatures stand in a request; all else of it is text.
import { type Bound, each, encrypted, fields, once, tools } from '../input-bound.ts'
import { partMedia } from './media.ts'

/** Parts are in parts: in the results of functions. */
const parts: Bound = (value, media) => eachPart(value, media)
const functionResponse = fields({ parts })

/** Each name in both spellings. */
const part = partMedia({
  functionResponse,
  function_response: functionResponse,
  thoughtSignature: encrypted,
  thought_signature: encrypted,
})

const eachPart = each(part)

const content = fields({ parts })
const system = once(content)

/** The most tokens of a native request. */
export const requestBound: Bound = fields({
  contents: each(once(content)),
  systemInstruction: system,
  system_instruction: system,
  tools,
})
