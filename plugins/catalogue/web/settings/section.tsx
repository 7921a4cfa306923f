// The page of a section of settings. Its fields come from the schema that checks them.
import { useState } from 'react'
import { Link } from 'wouter'
import type { PageProps } from '../../../console/web/app/page-entry.ts'
import { Code } from '../../../console/web/parts/code.tsx'
import { Notice } from '../../../console/web/parts/notice.tsx'
import { EmptyState, Loaded } from '../../../console/web/parts/states.tsx'
import { TestMail } from '../../../mail/web/test-mail.tsx'
import { useFile } from '../parts/draft.ts'
import { useSettings } from '../parts/schema-fields.tsx'
import type { Settings } from '../parts/setting-text.ts'
import { blockAt, type CatalogueFile, valueIn } from '../parts/values.ts'
import { BlockList } from './block-list.tsx'
import { SettingsFrame } from './frame.tsx'
import { OwnLimits } from './own-limits.tsx'
import { ValuesForm } from './values-form.tsx'
import { wordsOf } from './words.ts'

export default function SectionPage({ params: { section = '' } }: PageProps) {
  const settings = useSettings()
  const file = useFile()
  const { title, lead } = wordsOf(section)
  return (
    <SettingsFrame title={title} lead={lead} section={section}>
      <Loaded query={settings}>
        {({ sections }) => {
          const own = sections.find(({ name }) => name === section)
          if (!own)
            return <EmptyState title={`Section "${section}" not found`}>Choose one from the list.</EmptyState>
          return <Loaded query={file}>{(read) => <Section own={own} read={read} />}</Loaded>
        }}
      </Loaded>
    </SettingsFrame>
  )
}

interface SectionProps {
  own: Settings['sections'][number]
  read: CatalogueFile
}

function Section({ own: { name, fields, lists, tables }, read }: SectionProps) {
  // A changed form keeps the file that it started from; an unchanged form follows the current file.
  const [changed_file, setChangedFile] = useState<CatalogueFile | null>(null)
  const file = changed_file ?? read
  if (file.values === null || file.mistakes.length > 0)
    return (
      <Notice tone="bad">
        The configuration file has mistakes, and the last valid version stays in force. Fix them in{' '}
        <Link href="/system/configuration">System, Configuration file</Link> first.
      </Notice>
    )
  const waiting = read.waiting_for_restart.filter((path) => path.startsWith(`${name}.`))
  const { labels, groups, example, noun = 'entry' } = wordsOf(name)
  const set = tables.flatMap((table) =>
    namesIn(valueIn(file.values ?? {}, ...table.replace(/[[\]]/g, '').split('.'))),
  )
  return (
    <div className="stack">
      {waiting.length > 0 && <Notice tone="warn">Restart the gateway to apply: {waiting.join(', ')}.</Notice>}
      {fields.length > 0 && (
        <ValuesForm
          key={file.hash}
          at={[name]}
          {...{ fields, file, labels, groups }}
          onChange={(has_changes) => setChangedFile(has_changes ? file : null)}
        />
      )}
      {Object.entries(lists).map(([list, own]) => (
        <BlockList key={list} at={[name, list]} fields={own} {...{ file, labels, noun }} />
      ))}
      {name === 'mail' && <TestMail />}
      {tables.length > 0 && (
        <>
          <p className="soft">
            {set.length > 0 && `Set: ${set.join(', ')}. `}
            <Link href="/system/configuration">Edit the configuration file</Link> to{' '}
            {set.length > 0 ? 'change' : 'set'} <code>{tables.map((table) => `[${table}]`).join(', ')}</code>
            {example ? ', such as:' : '.'}
          </p>
          {example && <Code what="example">{example}</Code>}
        </>
      )}
      {name === 'limits' && <OwnLimits limits={blockAt(file.values, 'limits')} />}
    </div>
  )
}

/** The names of what a table of the file has: its keys, or the titles and names of its blocks. */
const namesIn = (table: unknown): string[] =>
  Array.isArray(table)
    ? table.flatMap((block) => block?.title ?? block?.name ?? [])
    : Object.keys(table ?? {})
