// The material of every client's program: prompts, a tool, a schema, a picture.
import { WEATHER } from './feature.ts'

export const PROMPT = 'Why are there tides?'
export const TOOL_PROMPT =
  'Call get_weather for Bergen, Oslo and Turku, one after another, and say what it returns.'
export const SCHEMA_PROMPT = 'Which city, and for how many days?'
export const IMAGE_PROMPT = 'What is in this picture?'

export const TOOL = {
  name: 'get_weather',
  description: 'The weather of a city.',
  schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
    additionalProperties: false,
  },
}

export const SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, days: { type: 'integer' as const } },
  required: ['city', 'days'],
  additionalProperties: false,
}

/** The result of the tool. */
export const weatherOf = (city: string): string => `${city}: ${WEATHER}`

/** A red picture of 64 by 64 in base64; some clients refuse smaller ones. */
export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAeUlEQVR4nO3PQQkAMAzAwCqpfymTNRF7HINABFzm7H7dcEEDWtCAFjSgBQ1oQQNa0IAWNKAFDWhBA1rQgBY0oAUNaEEDWtCAFjSgBQ1oQQNa0IAWNKAFDWhBA1rQgBY0oAUNaEEDWtCAFjSgBQ1oQQNa0IAWNKAFj13Kp0DxHeM4GQAAAABJRU5ErkJggg=='
/** The beginning of every PNG in base64. */
export const PNG_BEGINS = 'iVBORw0KGgo'
