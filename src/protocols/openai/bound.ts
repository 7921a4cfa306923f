// The input bound of chat completions: where media and signatures stand in a request; all else of it is text.

import { audioMedium, fileMedium, UNCOUNTED } from '../../domain/media/medium.ts'
import {
  addressed,
  type Bound,
  boundAll,
  byType,
  dataUriType,
  each,
  encrypted,
  fields,
  image,
  mediumData,
  once,
  tools,
  unknownPart,
} from '../input-bound.ts'
import { type Json, objectIn, stringIn } from '../wire/json.ts'

/** A file by its data, or one that the gateway does not see, which may be as long as the model reads. */
export const file: Bound = (value, media) => {
  const { file_data: data, file_id, file_url } = objectIn(value)
  if (stringIn(data) === undefined || isSet(file_id) || isSet(file_url)) media.push(UNCOUNTED)
  return fields({ file_data })(value, media)
}

const isSet = (value: Json | undefined): boolean => (value ?? null) !== null
const file_data = mediumData((data, work) => fileMedium(data, dataUriType(data) ?? '', work))

/** Mistral takes audio without an object around it: https://docs.mistral.ai/capabilities/audio */
const audioData = mediumData(audioMedium)
const audioFields = fields({ data: audioData })
export const audio: Bound = (value, media) =>
  (typeof value === 'string' ? audioData : audioFields)(value, media)

/** A part of a message that may be an image, by the name of its type and its field. */
export const part = byType(
  {
    image_url: fields({ image_url: image('url') }),
    input_audio: fields({ input_audio: audio }),
    file: fields({ file }),
    video_url: fields({ video_url: addressed }),
    audio_url: fields({ audio_url: addressed }),
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
  images: each(fields({ image_url: image('url') })),
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
