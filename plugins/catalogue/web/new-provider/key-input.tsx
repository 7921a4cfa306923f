// The field for a provider's key: typed and hidden, or for service accounts the file of one.
import { FileUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Field } from '../../../console/web/parts/field.tsx'
import { FileButton } from '../../../console/web/parts/files.tsx'
import { PasswordInput } from '../../../console/web/parts/password-input.tsx'

interface KeyFieldProps {
  value: string
  onChange: (value: string) => void
  /** The key may be the file of a service account. */
  takes_accounts: boolean
  /** The page where keys are made; empty if not known. */
  keys_url: string
  /** The server may ask for none. */
  may_be_empty: boolean
}

export function KeyField({ value, onChange, takes_accounts, keys_url, may_be_empty }: KeyFieldProps) {
  const account = takes_accounts ? accountIn(value) : undefined
  return (
    <Field
      label={takes_accounts ? 'Service account key' : 'API key'}
      name="api_key"
      help={<KeyHelp {...{ takes_accounts, keys_url, may_be_empty }} />}
    >
      <PasswordInput what="key" autoComplete="off" value={value} onChange={onChange} />
      {takes_accounts && (
        <div className="row">
          <FileButton
            small
            icon={FileUp}
            accept="application/json,.json"
            single
            onFiles={([file]) => void file?.text().then((text) => onChange(onOneLine(text)))}
          >
            Choose a JSON file
          </FileButton>
          <span className="small soft" role="status">
            {account}
          </span>
        </div>
      )}
    </Field>
  )
}

/** As the browser writes what is pasted into a field of one line. In JSON a line may end between words only. */
const onOneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, '').trim()

/** The account of a key file, as the file says. */
function accountIn(text: string): string | undefined {
  try {
    const { client_email } = JSON.parse(text) as { client_email?: unknown }
    return typeof client_email === 'string' ? client_email : undefined
  } catch {
    // It is a key of another kind, or not yet whole. What is wrong with it, the server says.
    return undefined
  }
}

function KeyHelp({
  takes_accounts,
  keys_url,
  may_be_empty,
}: Pick<KeyFieldProps, 'takes_accounts' | 'keys_url' | 'may_be_empty'>) {
  return (
    <>
      {may_be_empty && 'Leave empty if the server needs no key. '}
      {keys_url !== '' && (
        <>
          Create one at <KeysPage url={keys_url} />
          {takes_accounts ? ', then choose its file or paste the text of it. ' : '. '}
        </>
      )}
      The key is stored in the configuration file and not shown again. To read it from an environment
      variable, enter <code>env:NAME</code>.
    </>
  )
}

const KeysPage = ({ url }: { url: string }): ReactNode => (
  <a href={url} target="_blank" rel="noreferrer">
    {new URL(url).host}
  </a>
)
