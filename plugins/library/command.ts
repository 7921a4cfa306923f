// `image` and `file`: generated images and uploaded files of accounts, listed and deleted.
import type { Command } from 'commander'
import { contextOf } from '../../src/app/command-line/context.ts'
import { type DataFolder, filesOfFolder, withDatabase } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../src/app/commands/confirm.ts'
import { listCommand } from '../../src/app/list/command.ts'
import { requireOwnFiles } from '../../src/app/process/files/claim.ts'
import { conflict, type GatewayError, notFound } from '../../src/domain/errors.ts'
import { findFile, isStored, removeFile } from '../../src/library/files.ts'
import { findAnyGeneration } from '../../src/library/generations.ts'
import { type Library, openLibrary } from '../../src/library/library.ts'
import { ownerOfKey } from '../../src/library/names.ts'
import type { Db } from '../../src/store/db.ts'
import { counted } from '../../src/utilities/counted.ts'
import { removeGeneration } from './history.ts'
import { file_list, image_list } from './lists.ts'

const addImageList = listCommand(image_list, {
  name: 'list',
  row: 'image',
  rows: 'images',
  empty_text: 'No images.',
  summary: 'List generated images.',
  description: 'List generated images, newest first: of whom, by which model, and what they cost.',
  example: 'image list --account alice',
})

const addFileList = listCommand(file_list, {
  name: 'list',
  row: 'file',
  rows: 'files',
  empty_text: 'No files.',
  account: 'required',
  summary: 'List uploaded files of an account.',
  description: 'List uploaded files of an account, newest first, with their sizes.',
  example: 'file list alice',
})

export function addImageCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'image').description('List and delete generated images.')
  addImageList(group, deps)
  addDelete(group, deps, {
    what: 'image',
    example: '7f3e5d0c-8a61-4b52-9d3f-0c1e2a4b6d88',
    description:
      'Delete generated images, by their ids in the column IMAGE of `image list`. What they cost stays in the books. This cannot be undone.',
    find: findImage,
    remove: async (library, { account_id, name }, by) => {
      const outcome = await removeGeneration(library, account_id, name, by)
      if (outcome === 'under_way') throw stillGenerating(name)
      return outcome === 'removed'
    },
  })
}

export function addFileCommands(program: Command, deps: CliDeps): void {
  const group = commandGroup(program, 'file').description('List and delete uploaded files.')
  addFileList(group, deps)
  addDelete(group, deps, {
    what: 'file',
    example: 'files/12/7f3e5d0c-8a61-4b52-9d3f-0c1e2a4b6d88_photo.png',
    description:
      'Delete uploaded files, by their keys in the column FILE of `file list`. Images that were made from them stay. This cannot be undone.',
    find: findUpload,
    remove: (library, { account_id, name }, by) => removeFile(library, account_id, name, by),
  })
}

/** The image or file to delete, with its account. */
interface DeletionTarget {
  account_id: number
  name: string
}

interface Deletion {
  what: 'image' | 'file'
  example: string
  description: string
  /** @throws GatewayError not_found; conflict for an image that is still being generated */
  find(db: Db, name: string): Promise<DeletionTarget>
  /** @returns false if it was deleted meanwhile */
  remove(library: Library, found: DeletionTarget, by: DataFolder['by']): Promise<boolean>
}

function addDelete(
  group: Command,
  deps: CliDeps,
  { what, example, description, find, remove }: Deletion,
): void {
  addExample(group.command(`delete <${what}...>`), `${what} delete ${example}`)
    .summary(`Delete ${what === 'image' ? 'generated images' : 'uploaded files'}.`)
    .description(description)
    .option('--yes', 'delete without asking')
    .action(async (names: string[], { yes }: { yes?: boolean }, command: Command) => {
      const { folder, json, answer } = contextOf(command, deps)
      using stores = await filesOfFolder(folder)
      const found = await withDatabase(folder, 'read', async (db) => {
        await requireOwnFiles(db, stores, 'write')
        return await Promise.all([...new Set(names)].map((name) => find(db, name)))
      })
      await confirm(deps, {
        yes,
        json,
        about: `This deletes ${counted(found.length, what)}. It cannot be undone.`,
        prompt: 'Delete? [y/N] ',
        agrees: isYes,
      })
      const deleted: string[] = []
      await withDatabase(folder, 'write', async (db) => {
        const { images, files } = stores
        const library = openLibrary({ db, images, files, gateway_id: 0, now: deps.now, probe: () => {} })
        for (const one of found) if (await remove(library, one, folder.by)) deleted.push(one.name)
      })
      answer({ deleted }, `${counted(deleted.length, what)} deleted.`)
    })
}

async function findImage(db: Db, id: string): Promise<DeletionTarget> {
  const image = await findAnyGeneration(db, id)
  if (!image) throw notFoundError('Image', id)
  if (image.state === 'generating') throw stillGenerating(id)
  return { account_id: image.account_id, name: image.uuid }
}

async function findUpload(db: Db, key: string): Promise<DeletionTarget> {
  const account_id = ownerOfKey(key)
  const file = account_id === undefined ? undefined : await findFile(db, account_id, key)
  if (account_id === undefined || !file || !isStored(file)) throw notFoundError('File', key)
  return { account_id, name: key }
}

const notFoundError = (what: 'Image' | 'File', name: string): GatewayError =>
  notFound(
    `${what} ${name} not found. Use one from the column ${what.toUpperCase()} of \`${what.toLowerCase()} list\`. Nothing was changed.`,
  )

const stillGenerating = (id: string): GatewayError =>
  conflict(`Image ${id} is still being generated. Delete it afterwards.`)
