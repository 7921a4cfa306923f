// The page of the configuration file, below System: its text, checked while the operator types, with mistakes beside their lines.
import { History } from 'lucide-react'
import { ButtonLink } from '../../../console/web/parts/button.tsx'
import { AsCommand } from '../../../console/web/parts/code.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { AwaitedPage } from '../../../console/web/parts/states.tsx'
import { ChangeList } from '../parts/changes.tsx'
import { useDraft, useFile } from '../parts/draft.ts'
import { SaveBar } from '../parts/save-bar.tsx'
import type { CatalogueFile } from '../parts/values.ts'
import { Editor } from './editor.tsx'

export default function ConfigurationPage() {
  const file = useFile()
  if (!file.data) return <AwaitedPage title={TITLE} query={file} />
  return <Configuration read={file.data} />
}

const TITLE = 'Configuration file'

function Configuration({ read }: { read: CatalogueFile }) {
  const draft = useDraft(read)
  const { file, mistakes, warnings, changes } = draft
  if (file.text === null)
    return (
      <Page title={TITLE} lead={file.path}>
        <Notice tone="bad" alert>
          The file is not valid TOML, so its keys cannot be hidden and it is not shown. The last valid version
          stays in force. Fix it on the server:{' '}
          {mistakes.map(({ line, message }) => `line ${String(line)} ${message}`).join('; ')}.
        </Notice>
        <AsCommand command="tollgate config check" />
      </Page>
    )
  return (
    <Page
      title={TITLE}
      lead={
        file.version === null
          ? file.path
          : `Version ${String(file.version)}, in the database, for all gateways`
      }
      actions={
        <>
          <ButtonLink href="/system/configuration/history" icon={History}>
            History
          </ButtonLink>
          <SaveBar draft={draft} />
        </>
      }
    >
      {file.waiting_for_restart.length > 0 && (
        <Notice tone="warn">Takes effect after a restart: {file.waiting_for_restart.join(', ')}.</Notice>
      )}
      {!draft.is_changed && file.mistakes.length > 0 && (
        <Notice tone="bad">
          The file has mistakes. The last valid version stays in force until you fix them.
        </Notice>
      )}
      {draft.is_changed && read.hash !== file.hash && (
        <Notice tone="warn">
          Somebody has changed the file since you started. Copy your text, discard your changes, and redo them
          in the new version.
        </Notice>
      )}
      <Editor text={draft.text} values={draft.values} onChange={draft.type} {...{ mistakes, warnings }} />
      {changes && (
        <section aria-label="What changes" className="stack">
          <h2>What changes</h2>
          <ChangeList changes={changes} />
        </section>
      )}
      <AsCommand command="tollgate config check" />
    </Page>
  )
}
