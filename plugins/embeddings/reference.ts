// Embeddings in the API reference.
import { json, PAID_HEADERS, type Reference } from '../../src/app/reference/operation.ts'
import {
  ANSWERED_MODEL,
  anyObject,
  asIn,
  constant,
  count,
  either,
  list,
  OPENAI,
  ref,
  text,
  USAGE,
} from '../../src/app/reference/schema.ts'

export const reference: Reference = {
  tag: 'OpenAI API',
  operations: [
    {
      route: 'POST /v1/embeddings',
      id: 'createEmbedding',
      summary: 'Create embeddings',
      description: 'Vectors for texts, from embedding models.',
      body: json(
        asIn(`${OPENAI}/embeddings/create`, {
          model: text('The name of an embedding model.'),
          input: either(
            'At most 2,048 inputs: texts, or lists of tokens.',
            text('One text.'),
            list(text(), 'Several.'),
            list(count(), 'The tokens of one.'),
            list(list(count()), 'The tokens of several.'),
          ),
        }),
        {
          'A text': { model: 'sim-embedding', input: 'The sky is blue.' },
          'Two texts': { model: 'sim-embedding', input: ['The sky is blue.', 'Grass is green.'] },
        },
      ),
      answer: 'The vectors, in the order of the inputs.',
      headers: PAID_HEADERS,
      content: json(ref('EmbeddingsAnswer')),
    },
  ],
  schemas: {
    EmbeddingsAnswer: asIn(`${OPENAI}/embeddings/object`, {
      object: constant('list'),
      model: ANSWERED_MODEL,
      data: list(
        anyObject('Its `embedding` is a list of numbers, or 32-bit floats, little-endian, in base64.'),
        'The vectors, in the order of the inputs.',
      ),
      'usage?': anyObject(USAGE),
    }),
  },
  answers: {
    EmbeddingsAnswer: {
      object: 'list',
      model: 'sim-embedding',
      data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
      usage: { prompt_tokens: 5, total_tokens: 5 },
    },
  },
}
