// Uploaded files in the document.
import { COUNTED_FAILURES, type Parameter, type Written } from '../operation.ts'
import { PICTURE_FILE, SAMPLE_IDS } from '../samples.ts'
import { list, object } from '../schema.ts'
import { IMAGE_CONTENT } from './images.ts'

const common = { tag: 'Files', dialect: 'images' } as const

const KEY: Parameter = {
  name: 'key',
  in: 'path',
  required: true,
  description: 'The key of a file. Its slashes may be written as they are, or encoded.',
  schema: { type: 'string' },
  example: SAMPLE_IDS.file,
}

export const files: Readonly<Record<string, readonly Written[]>> = {
  'POST /api/v1/upload': [
    {
      ...common,
      id: 'uploadFiles',
      summary: 'Upload images',
      description:
        "JPEG, PNG, GIF or WebP, 25 MB each, 100 in a request; all of a request are stored, or none. The account's files may have 200 MB together. It costs nothing.",
      body: {
        'multipart/form-data': {
          schema: object(
            { files: list({ type: 'string', format: 'binary' }, 'One or more images.') },
            { required: ['files'] },
          ),
          examples: { one: { summary: 'A file', value: { files: [PICTURE_FILE] } } },
        },
      },
      answers: { 200: { description: 'The files, in the order of the form.' } },
      fails: [...COUNTED_FAILURES.filter((kind) => !kind.startsWith('upstream_')), 'upstream_timeout'],
    },
  ],
  'GET /api/v1/files': [
    {
      ...common,
      id: 'listFiles',
      summary: 'List uploaded files',
      description:
        'Newest first, with the quota. `missing` is a file whose bytes cannot be found at the moment.',
      about: {
        limit: { description: 'How many a page has at most; 50 by default.', example: 10 },
        cursor: { description: 'The `next_cursor` of the page before.' },
      },
      answers: { 200: { description: 'A page of files.' } },
    },
  ],
  'GET /api/v1/files/*': [
    {
      ...common,
      path: '/api/v1/files/{key}',
      id: 'getFile',
      summary: 'Read an uploaded file',
      parameters: [KEY],
      answers: { 200: { description: 'The file.', content: IMAGE_CONTENT } },
    },
  ],
  'DELETE /api/v1/files/*': [
    {
      ...common,
      path: '/api/v1/files/{key}',
      id: 'deleteFile',
      summary: 'Delete an uploaded file',
      description: 'Its bytes no longer count against the quota.',
      parameters: [KEY],
      answers: { 200: { description: 'It is deleted.' } },
    },
  ],
}
