// The command `refusals`: lists refused requests with reasons.
import { listCommand } from '../../src/app/list/command.ts'
import { refused_requests } from './list.ts'

export const addRefusalsCommand = listCommand(refused_requests, {
  name: 'refusals',
  row: 'request',
  rows: 'requests',
  empty_text: 'No refused requests.',
  summary: 'List refused requests, and why they were refused.',
  description:
    'List refused requests of the last 30 days, newest first, each with the error that its caller got. ' +
    'Of each account and reason the first 20 of an hour are listed; all are counted.',
  remark: ({ refused }, count) =>
    refused !== null && refused > count ? `Refused in all of this time: ${refused}.` : undefined,
  example: 'refusals --account alice --since 24h',
})
