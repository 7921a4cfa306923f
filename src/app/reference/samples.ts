// Samples for the examples: a small picture, a tool, a schema, and placeholder IDs.

/** The answer of the simulated models, in examples. */
export const SAMPLE_TEXT = 'Short waves of light are scattered more than long ones, and blue is short.'

/** A PNG of 16 by 16 blue pixels, in base64. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mNwa9pCEmIY1TCqYfhqAACXG3wQdqkQfwAAAABJRU5ErkJggg=='

export const PICTURE_URI = `data:image/png;base64,${PICTURE}`

const textsNamed = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
  additionalProperties: false,
})

export const WEATHER = { name: 'weather', description: 'The weather in a city.' } as const
export const WEATHER_SCHEMA = textsNamed('city')

export const CITY_SCHEMA = textsNamed('city', 'country')

/** In a form's example, a file name stands for the file. */
export const AUDIO_FILE = 'speech.mp3'
export const PICTURE_FILE = 'house.png'

/** Placeholder IDs, which a caller replaces by real ones. */
export const SAMPLE_IDS = {
  generation: '3f0c2d5e-9a41-4b77-8c1d-5e2f6a7b8c9d',
  file: 'files/1/7c9e6679-7425-40de-944b-e07fc1f90ae7_house.png',
  response: 'resp_01k9z3x8v7t6s5r4q3p2n1m0',
} as const
