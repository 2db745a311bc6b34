{{- /* By which the objects of this release find its pods. */ -}}
{{- define "kb-exporter.selector" -}}
app.kubernetes.io/name: kb-exporter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* An object of kustomize's files, with the name and the labels of the release: (list . FILE). */ -}}
{{- define "kb-exporter.object" -}}
{{- $root := index . 0 -}}
{{- $object := $root.Files.Get (index . 1) | fromYaml -}}
{{- $labels := include "kb-exporter.selector" $root | fromYaml -}}
{{- $labels = merge $labels (dict "app.kubernetes.io/version" $root.Chart.AppVersion "app.kubernetes.io/managed-by" $root.Release.Service) -}}
{{- $_ := set $object.metadata "name" $root.Release.Name -}}
{{- $_ := set $object.metadata "labels" $labels -}}
{{- toYaml $object -}}
{{- end -}}

{{- /* The alert rules, with links to the addresses of the values alone. */ -}}
{{- define "kb-exporter.rules" -}}
{{- $rules := .Files.Get "alerts/kb-exporter.yml" -}}
{{- with .Values.monitoring -}}
{{- if .runbookUrl -}}
{{- $rules = replace "https://git.example/kb-exporter/blob/main/alerts/runbook.md" .runbookUrl $rules -}}
{{- end -}}
{{- $rules = replace "http://localhost:3000" (trimSuffix "/" .dashboardUrl) $rules -}}
{{- if not .dashboardUrl -}}
{{- $rules = regexReplaceAll "(?m)^ *dashboard_url: .*\n" $rules "" -}}
{{- end -}}
{{- $rules = replace "http://localhost:15732" (trimSuffix "/" .externalUrl) $rules -}}
{{- if not .externalUrl -}}
{{- $rules = regexReplaceAll "(?m)^ *page_url: .*\n" $rules "" -}}
{{- end -}}
{{- end -}}
{{- $rules -}}
{{- end -}}

{{- /* The objects that Prometheus selects by labels of its own. */ -}}
{{- define "kb-exporter.monitored" -}}
{{- $object := include "kb-exporter.object" . | fromYaml -}}
{{- $_ := set $object.metadata "labels" (merge (deepCopy (index . 0).Values.monitoring.labels) $object.metadata.labels) -}}
{{- toYaml $object -}}
{{- end -}}
