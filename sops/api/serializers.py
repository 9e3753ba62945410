"""What the API says about procedures. Nothing here can be written: texts come in through files and review."""

from rest_framework import serializers

from sops.exporter import spec_of
from sops.models import Sop, SopVersion


class SopSummarySerializer(serializers.ModelSerializer):
    """One line of the library."""

    version = serializers.IntegerField(source="current_number", read_only=True, allow_null=True)
    title = serializers.CharField(source="current_title", read_only=True, allow_null=True)
    intent = serializers.CharField(source="current_intent", read_only=True, allow_null=True)

    class Meta:
        model = Sop
        fields = ["slug", "status", "version", "title", "intent"]
        read_only_fields = fields


class SopVersionSerializer(serializers.ModelSerializer):
    """A version in full, in the form that the importer reads, under `procedure`."""

    slug = serializers.SlugField(source="sop.slug", read_only=True)
    status = serializers.CharField(source="sop.status", read_only=True)
    version = serializers.IntegerField(source="number", read_only=True)
    procedure = serializers.SerializerMethodField()

    class Meta:
        model = SopVersion
        fields = ["slug", "status", "version", "origin", "digest", "created_at", "procedure"]
        read_only_fields = fields

    def get_procedure(self, version: SopVersion) -> dict:
        return spec_of(version).plain()


class CandidateSerializer(serializers.Serializer):
    """One result of a search: `score` orders the results, `fit` (0 to 1) says whether it is about the query at all."""

    slug = serializers.CharField(source="version.sop.slug")
    version = serializers.IntegerField(source="version.number")
    title = serializers.CharField(source="version.title")
    intent = serializers.CharField(source="version.intent")
    score = serializers.FloatField()
    fit = serializers.FloatField()
    plausible = serializers.BooleanField()
    perspective = serializers.CharField()


class CandidatesSerializer(serializers.Serializer):
    """What a search found, best first."""

    results = CandidateSerializer(many=True)


class SearchSerializer(serializers.Serializer):
    """The query: `q` in any words, `k` how many at most."""

    q = serializers.CharField(max_length=2000)
    k = serializers.IntegerField(min_value=1, max_value=50, default=5)
