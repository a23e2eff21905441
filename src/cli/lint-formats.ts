import type { Diagnostic } from '../core/diagnostic.ts'
import { VERSION } from './version.ts'

/** A file with what was found in it. */
export interface LintedFile {
  /** As the person wrote it, or absolute. */
  readonly file: string
  readonly diagnostics: readonly Diagnostic[]
}

/** SARIF 2.1.0, as code scanning reads it. */
export function sarif(files: readonly LintedFile[]) {
  const codes = [...new Set(files.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))].toSorted()
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'sallyport', version: VERSION, rules: codes.map(id => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results: files.flatMap(({ file, diagnostics }) =>
          diagnostics.map(found => sarifResult(found.file ?? file, found)),
        ),
      },
    ],
  }
}

/** Workflow commands of GitHub Actions: one annotation a problem. */
export function githubLines(files: readonly LintedFile[]): readonly string[] {
  return files.flatMap(({ file, diagnostics }) =>
    diagnostics.map(({ code, severity, message, line, column, file: place = file }) => {
      const at = `file=${property(place)},line=${line},col=${column},title=${property(code)}`
      return `::${severity} ${at}::${escaped(message)}`
    }),
  )
}

function sarifResult(file: string, { code, severity, message, line, column }: Diagnostic) {
  return {
    ruleId: code,
    level: severity,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(file) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
