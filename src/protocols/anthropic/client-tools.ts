// Claude's built-in tools that the caller runs (bash, text editor), described as plain functions for models that do not know them.
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool,
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
import type { JsonObject } from '../wire/json.ts'

interface ClientTool {
  readonly types: RegExp
  readonly description: string
  readonly parameters: JsonObject
}

const text = (description: string): JsonObject => ({ type: 'string', description })

const CLIENT_TOOLS: readonly ClientTool[] = [
  {
    types: /^bash_\d{8}$/,
    description: 'Runs a command in a bash session that lasts from call to call.',
    parameters: {
      type: 'object',
      properties: {
        command: text('The command to run. Needed unless the session is restarted.'),
        restart: { type: 'boolean', description: 'Restarts the session.' },
      },
    },
  },
  {
    types: /^text_editor_\d{8}$/,
    description: 'Views, creates and edits text files.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
        path: text('The path of the file or folder.'),
        file_text: text('For create: the content of the file.'),
        old_str: text('For str_replace: the text to replace, which must occur exactly once.'),
        new_str: text('For str_replace: the text in its place.'),
        insert_line: {
          type: 'integer',
          description: 'For insert: the line after which to insert; 0 is the beginning.',
        },
        insert_text: text('For insert: the text to insert.'),
        view_range: {
          type: 'array',
          items: { type: 'integer' },
          description: 'For view: the first and last line, from 1; -1 is the end.',
        },
      },
      required: ['command', 'path'],
    },
  },
]

/** Such a tool by its type; undefined for tools that Anthropic runs, or that only Claude can use. */
export const clientTool = (type: string): ClientTool | undefined =>
  CLIENT_TOOLS.find(({ types }) => types.test(type))
