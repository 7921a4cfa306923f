// The input bound of chat completions: the places of media and signatures; everything else is text.

import { audioMedium, fileMedium, UNCOUNTED } from '../../domain/media/medium.ts'
import {
  addressed,
  type Bound,
  boundAll,
  byType,
  cachedBound,
  dataUriType,
  each,
  encrypted,
  fields,
  image,
  mediumData,
  tools,
  unknownPart,
} from '../input-bound.ts'
import { type Json, objectIn, stringIn } from '../wire/json.ts'

/** A file, inline or stored. A stored one has an unknown length: the gateway does not see it. */
export const file: Bound = (value, media) => {
  const { file_data: data, file_id, file_url } = objectIn(value)
  if (stringIn(data) === undefined || isSet(file_id) || isSet(file_url)) media.push(UNCOUNTED)
  return fields({ file_data })(value, media)
}

const isSet = (value: Json | undefined): boolean => (value ?? null) !== null
const file_data = mediumData((data, work) => fileMedium(data, dataUriType(data) ?? '', work))

/** Mistral's audio has no object around it: https://docs.mistral.ai/capabilities/audio */
const audioData = mediumData(audioMedium)
const audioFields = fields({ data: audioData })
export const audio: Bound = (value, media) =>
  (typeof value === 'string' ? audioData : audioFields)(value, media)

/** A part of a message, whose type and field may name a medium. */
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
  messages: each(cachedBound(message)),
  tools,
  functions: tools,
})
